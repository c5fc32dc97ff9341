package localcloud

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// callsFile has a line for each call, see recorder.py.
const callsFile = "calls.jsonl"

// Call is one call of AWS that was answered.
type Call struct {
	Time time.Time `json:"time"`
	// AccessKeyID says who called.
	AccessKeyID string `json:"accessKeyId"`
	Region      string `json:"region"`
	// Service is the name that requests are signed for, which is the prefix of IAM's actions too.
	Service   string `json:"service"`
	Operation string `json:"operation"`
	// Parameters have the names of AWS's own model of the service.
	Parameters map[string]any `json:"parameters"`
	// Resources are those that the parameters lead to, as they were before the call.
	Resources []CallResource `json:"resources"`
	// Status is the HTTP status of the answer.
	Status int `json:"status"`
	// Problem says why the call was not understood. Operation and what follows are then empty.
	Problem string `json:"problem"`
}

// CallResource is a resource that a call leads to.
type CallResource struct {
	// Name is the id or the name by which the call names it.
	Name string            `json:"name"`
	ARN  string            `json:"arn"`
	Tags map[string]string `json:"tags"`
	// Data are those of a launch template, and the RoleName of an instance profile.
	Data map[string]any `json:"data"`
}

// Calls are the calls of AWS that an access key has made so far, in the order of their answers. The
// cloud must have been started with RecordCalls.
func (c *Cloud) Calls(accessKeyID string) ([]Call, error) {
	data, err := os.ReadFile(c.file(callsFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, errors.New("this cloud does not record calls: start it with RecordCalls")
	}
	if err != nil {
		return nil, err
	}
	var calls []Call
	for line := range bytes.Lines(data) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // it is being written
		}
		var call Call
		if err := json.Unmarshal(line, &call); err != nil {
			return nil, fmt.Errorf("reading the recorded calls: %w: %s", err, line)
		}
		if call.AccessKeyID == accessKeyID {
			calls = append(calls, call)
		}
	}
	return calls, nil
}
