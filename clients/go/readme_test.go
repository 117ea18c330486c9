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

// Every other piece of Go in the README is part of an example, so it compiles. If its output follows in the README, it is
// the end of the example, which has the same output.
func TestThePiecesOfTheReadme(t *testing.T) {
	examples := string(must(os.ReadFile("example_test.go"))(t))
	pieces, blocks := 0, readmeBlocks(t)
	for index, block := range blocks {
		if block[0] != "go" || strings.HasPrefix(block[1], "package main") {
			continue
		}
		pieces++
		piece := indent("\t", block[1])
		if next := blocks[index+1]; next[0] == "text" {
			piece += "\t// Output:\n" + indent("\t// ", next[1]) + "}\n"
		}
		if !strings.Contains(examples, piece) {
			t.Errorf("this is in no example:\n%s", piece)
		}
	}
	if pieces == 0 {
		t.Error("there are no pieces")
	}
}

// indent puts a prefix before each line that is not empty.
func indent(prefix, text string) string {
	return regexp.MustCompile("(?m)^(.)").ReplaceAllString(text, prefix+"$1")
}
