package release

import "encoding/json"

// Event is one kind of EventBridge event that announces the end of an
// instance. An interruption queue receives them.
type Event struct {
	// Name ends the name of the rule: "SpotInterruption".
	Name string
	// Source and DetailType are what the rule matches.
	Source, DetailType string
}

// InterruptionEvents returns the events that the release reads from its
// interruption queue, in the order of the reference template.
//
// Source: https://karpenter.sh/docs/reference/cloudformation/, "Interruption
// Handling".
func (r Release) InterruptionEvents() []Event {
	events := []Event{
		{"ScheduledChange", "aws.health", "AWS Health Event"},
		{"SpotInterruption", "aws.ec2", "EC2 Spot Instance Interruption Warning"},
		{"Rebalance", "aws.ec2", "EC2 Instance Rebalance Recommendation"},
		{"InstanceStateChange", "aws.ec2", "EC2 Instance State-change Notification"},
	}
	if r.WatchesCapacityReservations {
		events = append(events, Event{
			"CapacityReservationInterruption", "aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning",
		})
	}
	return events
}

// Pattern returns the event pattern of the rule, as JSON.
func (e Event) Pattern() string {
	pattern, err := json.Marshal(map[string][]string{"source": {e.Source}, "detail-type": {e.DetailType}})
	if err != nil {
		panic(err) // strings always encode
	}
	return string(pattern)
}
