package arbiter_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// readmeBlocks are the blocks of code of the README: what language they are in, and what they say.
func readmeBlocks(t *testing.T) [][]string {
	readme := must(os.ReadFile("README.md"))(t)
	var blocks [][]string
	for _, block := range regexp.MustCompile("(?s)```([a-z]+)\n(.*?)```").FindAllStringSubmatch(string(readme), -1) {
		blocks = append(blocks, block[1:])
	}
	return blocks
}

// The whole program of the README prints what the README says it prints.
func TestTheProgramOfTheReadme(t *testing.T) {
	blocks := readmeBlocks(t)
	for index, block := range blocks {
		if !strings.HasPrefix(block[1], "package main") {
			continue
		}
		program := filepath.Join(t.TempDir(), "main.go")
		text := strings.Replace(block[1], "127.0.0.1:50051", address, 1)
		if err := os.WriteFile(program, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		printed, err := exec.CommandContext(t.Context(), "go", "run", program).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
		equal(t, "what it prints", string(printed), blocks[index+1][1])
		return
	}
	t.Error("there is no program")
}

// Every other piece of Go in the README is one of an example, so it compiles, and does what the example says.
func TestThePiecesOfTheReadme(t *testing.T) {
	examples := string(must(os.ReadFile("example_test.go"))(t))
	pieces := 0
	for _, block := range readmeBlocks(t) {
		if block[0] != "go" || strings.HasPrefix(block[1], "package main") {
			continue
		}
		pieces++
		if indented := "\t" + strings.ReplaceAll(strings.TrimSpace(block[1]), "\n", "\n\t"); !strings.Contains(examples, indented) {
			t.Errorf("this is in no example:\n%s", block[1])
		}
	}
	if pieces == 0 {
		t.Error("there are no pieces")
	}
}
