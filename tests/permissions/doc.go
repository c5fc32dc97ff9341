// Package permissions holds the controller's IAM documents against the controller: it runs the real
// Karpenter on a local cloud, takes every call of AWS that it made, and asks the documents of its
// role whether AWS would have allowed it.
//
// The local AWS allows everything to everybody. So a call is first turned into what AWS would
// authorise for it (Requests), and that is evaluated (Check).
package permissions
