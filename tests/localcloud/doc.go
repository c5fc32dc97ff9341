// Package localcloud is a local AWS and a local Kubernetes, started and stopped as one thing.
//
// The AWS is moto_server with the extension in the folder aws (EKS access entries, IAM's limits and
// more); the Kubernetes is etcd, kube-apiserver, kube-controller-manager and kube-scheduler with TLS
// and RBAC, and kwok in the place of kubelets. EKS describes a cluster whose endpoint and CA are that
// API server's, and the API server accepts the tokens of `aws eks get-token`.
//
// Everything listens on 127.0.0.1 and lives in one folder. Any number of clouds run side by side.
// A cloud can write down every call of AWS (Options.RecordCalls), and further programs can live in it
// (Cloud.Run).
package localcloud
