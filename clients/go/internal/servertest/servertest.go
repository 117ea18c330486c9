// Package servertest runs the real server for the tests of this module.
package servertest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A shell runs the server and stops it when the shell's input is closed, so that it also stops when a test panics. The
// shell closes its output, so that the output ends with the server.
const guard = `"$0" "$@" & exec >&-; cat > /dev/null; kill -TERM $!; wait $!`

type server struct {
	// host:port of the gRPC listener.
	address string
	process *exec.Cmd
	input   io.Closer
}

// Root returns the root folder of the repository.
func Root() string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "../../../..")
}

// RunTests runs the tests of a package with a server, sets address before, and returns the exit code.
func RunTests(tests *testing.M, address *string) int {
	server, err := start()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	*address = server.address
	code := tests.Run()
	if err := server.stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// Start runs a server with additional flags until the test ends, and returns its address.
func Start(t *testing.T, flags ...string) string {
	t.Helper()
	server, err := start(flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.stop(); err != nil {
			t.Error(err)
		}
	})
	return server.address
}

// start runs the binary at ARBITER_BINARY, by default the one that `cargo build` creates, on a free port.
func start(flags ...string) (*server, error) {
	program := os.Getenv("ARBITER_BINARY")
	if program == "" {
		program = filepath.Join(Root(), "target/debug/arbiter")
	}
	if _, err := exec.LookPath(program); err != nil {
		return nil, fmt.Errorf("no server binary (run cargo build, or set ARBITER_BINARY): %w", err)
	}
	arguments := []string{
		"-c", guard, program, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--log", "warn"}
	process := exec.Command("sh", append(arguments, flags...)...)
	process.Stderr = os.Stderr
	input, err := process.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, err
	}
	started := &server{process: process, input: input}
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if words := strings.Fields(lines.Text()); len(words) == 2 && words[0] == "gRPC" {
			started.address = words[1]
			go io.Copy(io.Discard, output)
			return started, nil
		}
	}
	return nil, fmt.Errorf("the server did not print its address: %w", started.stop())
}

func (s *server) stop() error {
	s.input.Close()
	if err := s.process.Wait(); err != nil {
		return fmt.Errorf("the server did not shut down cleanly: %w", err)
	}
	return nil
}
