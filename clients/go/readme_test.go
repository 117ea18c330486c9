package arbiter_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// readmeBlocks returns the code blocks of the README: language and text.
func readmeBlocks(t *testing.T) [][]string {
	readme := must(os.ReadFile("README.md"))(t)
	var blocks [][]string
	for _, block := range regexp.MustCompile("(?s)```([a-z]+)\n(.*?)```").FindAllStringSubmatch(string(readme), -1) {
		blocks = append(blocks, block[1:])
	}
	return blocks
}

// The program of the README has the output that the README shows.
func TestReadmeProgram(t *testing.T) {
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
		equal(t, "output", string(printed), blocks[index+1][1])
		return
	}
	t.Error("the README has no program")
}

// Every other Go snippet of the README is part of an example, so it compiles. If the README shows its output, the snippet
// is the end of the example, with the same output.
func TestReadmeSnippets(t *testing.T) {
	examples := string(must(os.ReadFile("example_test.go"))(t))
	snippets, blocks := 0, readmeBlocks(t)
	for index, block := range blocks {
		if block[0] != "go" || strings.HasPrefix(block[1], "package main") {
			continue
		}
		snippets++
		snippet := indent("\t", block[1])
		if next := blocks[index+1]; next[0] == "text" {
			snippet += "\t// Output:\n" + indent("\t// ", next[1]) + "}\n"
		}
		if !strings.Contains(examples, snippet) {
			t.Errorf("no example has this snippet:\n%s", snippet)
		}
	}
	if snippets == 0 {
		t.Error("the README has no snippets")
	}
}

// indent adds a prefix to each line that is not empty.
func indent(prefix, text string) string {
	return regexp.MustCompile("(?m)^(.)").ReplaceAllString(text, prefix+"$1")
}
