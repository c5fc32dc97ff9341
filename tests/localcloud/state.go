package localcloud

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// ErrNotRunning is returned for a folder without a running cloud.
var ErrNotRunning = errors.New("no cloud is running")

const stateFile = "state.json"

// state is what is known of a cloud, kept in its folder. It is written before a part starts and
// again with the part's pid.
type state struct {
	// ID marks the cloud's processes.
	ID string `json:"id"`
	// BootID is the machine's: pids and start times of another boot mean nothing.
	BootID string `json:"bootId"`
	Tools  tools  `json:"tools"`
	// Complete is set when the start has ended well.
	Complete    bool        `json:"complete"`
	Parts       []partState `json:"parts"`
	Credentials credentials `json:"credentials"`
	Facts       Facts       `json:"facts"`
}

// partState is one part that was started.
type partState struct {
	Name string `json:"name"`
	process
	Port int `json:"port"`
}

// credentials are the access key of the cluster's creator, made by the local IAM.
type credentials struct {
	AccessKeyID     string `json:"accessKeyId"`
	SecretAccessKey string `json:"secretAccessKey"`
}

func newState(t tools) state {
	return state{ID: strings.ToLower(rand.Text()), BootID: bootID(), Tools: t}
}

func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

// readState reads the state in a folder; ErrNotRunning when there is none.
func readState(dir string) (state, error) {
	var s state
	data, err := os.ReadFile(filepath.Join(dir, stateFile))
	if errors.Is(err, os.ErrNotExist) {
		return s, fmt.Errorf("%w in %s", ErrNotRunning, dir)
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return s, fmt.Errorf("reading the state of the cloud: %w", err)
	}
	return s, nil
}

// write replaces the state in the folder as a whole.
func (s state) write(dir string) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, stateFile)
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		return fmt.Errorf("writing the state of the cloud: %w", err)
	}
	return os.Rename(path+".new", path)
}

// alive says whether any recorded part runs.
func (s state) alive() bool {
	for _, p := range s.Parts {
		if s.BootID == bootID() && p.alive() {
			return true
		}
	}
	return false
}

// set records a part, in the place of an earlier record of the same name.
func (s *state) set(p partState) {
	for i := range s.Parts {
		if s.Parts[i].Name == p.Name {
			s.Parts[i] = p
			return
		}
	}
	s.Parts = append(s.Parts, p)
}

// kill ends every process of the cloud, recorded or only marked.
func (s state) kill() error {
	if s.BootID != bootID() {
		return nil
	}
	var problems []error
	for _, p := range s.Parts {
		problems = append(problems, p.kill())
	}
	for _, p := range markedProcesses(s.ID) {
		problems = append(problems, p.kill())
	}
	return errors.Join(problems...)
}

// lockPatience is how long lockDir waits for a command that is ending.
const lockPatience = 2 * time.Second

// lockDir takes the folder for one command at a time. The lock ends with the process that has it,
// and with the last child of it that is between fork and exec: whoever gets the lock sees the mark
// of every process that was started.
func lockDir(dir string, patience time.Duration) (unlock func(), err error) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	deadline := time.Now().Add(patience)
	for syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		if time.Now().After(deadline) {
			_ = folder.Close()
			return nil, fmt.Errorf("another command is working on the cloud in %s", dir)
		}
		time.Sleep(pollInterval)
	}
	return func() { _ = folder.Close() }, nil
}
