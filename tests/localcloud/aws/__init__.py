"""The local AWS: moto_server 5.2.1, extended by what an EKS cluster with Karpenter needs.

Each module adds to one service and takes effect when it is imported (see `extend`); `server`
imports them all and serves. `seed` and `inventory` are scripts that talk to the running server
through boto3, as any client would.
"""
