package policy

// InterruptionQueue lets EventBridge write to the queue, and refuses everyone
// who does not use TLS.
//
// Source: https://karpenter.sh/docs/reference/cloudformation/, "Interruption
// Handling". The two principals are the same in every partition.
func InterruptionQueue(queueArn string) Document {
	return newDocument(
		Statement{
			Sid:       "EC2InterruptionPolicy",
			Effect:    Allow,
			Principal: Principal{"Service": {"events.amazonaws.com", "sqs.amazonaws.com"}},
			Action:    List{"sqs:SendMessage"},
			Resource:  List{queueArn},
		},
		Statement{
			Sid:       "DenyHTTP",
			Effect:    Deny,
			Principal: Principal{"AWS": {"*"}},
			Action:    List{"sqs:*"},
			Resource:  List{queueArn},
			Condition: only("Bool", map[string]string{"aws:SecureTransport": "false"}),
		},
	)
}

// InterruptionQueueKey is what the policy of a user's own key must allow, so
// that EventBridge can write to a queue that the key encrypts. Without it the
// queue stays empty and nobody is told.
//
// Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
func InterruptionQueueKey() Document {
	return newDocument(Statement{
		Sid:       "AllowEventBridgeToUseTheKey",
		Effect:    Allow,
		Principal: Principal{"Service": {"events.amazonaws.com"}},
		Action:    List{"kms:Decrypt", "kms:GenerateDataKey"},
		Resource:  List{"*"},
	})
}
