module github.com/valohai/pulumi-kubernetes-autoscaling/tools

go 1.26.0
