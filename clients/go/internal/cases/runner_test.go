package cases

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	arbiter "github.com/arbiter-referee/arbiter/clients/go"
)

func TestAFileWithoutCasesIsRefused(t *testing.T) {
	for _, text := range []string{
		``, `{}`, `{"about": "x", "cases": []}`, `{"about": "", "cases": [], "more": 1}`,
		`{"about": "x", "cases": [{"name": "x", "rpc": "ListGames", "request": {}, "status": "OK", "response": {}}]} {}`,
	} {
		if _, errs := readFile([]byte(text)); len(errs) == 0 {
			t.Errorf("%s is read", text)
		}
	}
}

func TestAWrongCaseIsRefused(t *testing.T) {
	ok := `"rpc": "NewGame", "request": {}, "status": "OK"`
	refused := `"rpc": "NewGame", "request": {}, "status": "FAILED_PRECONDITION"`
	for _, wrong := range []struct{ text, because string }{
		{`"rpc": "NewGame", "request": {}`, "there is no status"},
		{ok, "needs a response"},
		{refused + `, "reasons": []`, "needs reasons"},
		{refused + `, "reasons": [{"code": "ERROR_REASON_NONE"}]`, "no reason"},
		{refused + `, "reasons": [{"code": "ERROR_REASON_GAME_OVER", "field": "x"}]`, "clause: true"},
		{refused + `, "reasons": [{"code": "ERROR_REASON_GAME_OVER", "why": "x"}]`, "why"},
		{refused + `, "reasons": [], "response": {}`, "of OK"},
		{ok + `, "response": {}, "move_index": 1`, "of a refusal"},
		{ok + `, "response": {}, "expect": 1`, "expect"},
		{ok + `, "Response": {}`, "small letters"},
		{ok + `, "response": {}, "response": {}`, "twice"},
		{ok + `, "response": {"sead": "1"}`, "sead"},
		{ok + `, "response": {}, "ignore": ["sead"]`, "sead"},
		{ok + `, "response": {"seed": "1"}, "ignore": ["seed"]`, "must not be in the response"},
		{`"rpc": "NoSuchCall", "request": {}, "status": "OK", "response": {}`, "no call"},
		{`"rpc": "NewGame", "request": {"sead": "1"}, "status": "OK", "response": {}`, "sead"},
		{`"rpc": "NewGame", "request": {"connectFour": {}}, "status": "OK", "response": {}`, "connectFour"},
		{`"rpc": "Evaluate", "request": {}, "status": "OK", "response": []`, "a list"},
	} {
		text := fmt.Sprintf(`{"about": "x", "cases": [{"name": "x", %s}]}`, wrong.text)
		_, errs := readFile([]byte(text))
		if err := errors.Join(errs...); err == nil || !strings.Contains(err.Error(), wrong.because) {
			t.Errorf("%s\nshould be refused because of %q: %v", wrong.text, wrong.because, err)
		}
	}
}

func TestTwoCasesOfOneNameAreRefused(t *testing.T) {
	one := `{"name": "x", "rpc": "ListGames", "request": {}, "status": "OK", "response": {}}`
	cases, errs := readFile(fmt.Appendf(nil, `{"about": "x", "cases": [%s, %s]}`, one, one))
	if len(cases) != 1 || len(errs) != 1 {
		t.Errorf("%d are read and %d refused", len(cases), len(errs))
	}
}

func TestAnAnswerThatIsNotTheOneWantedIsAFailure(t *testing.T) {
	client, err := arbiter.NewClient(address)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	legal := `"rpc": "ValidateMove", "request": {"state": {"notation": "4"}, "move": {"notation": "4"}}`
	full := `"rpc": "ApplyMove", "request": {"state": {"notation": "444444"}, "move": {"notation": "4"}}`
	game := `"rpc": "NewGame", "request": {"connect_four": {}, "form": 2, "seed": "1"}, "status": "OK"`
	reason := `{"code": "ERROR_REASON_COLUMN_FULL", "field": "move.notation", "clause": "C4-2"`
	refused := full + `, "status": "FAILED_PRECONDITION"`
	for _, example := range []struct {
		text  string
		right bool
	}{
		{legal + `, "status": "OK", "response": {"verdict": "VERDICT_LEGAL"}`, true},
		{legal + `, "status": "OK", "response": {"verdict": "VERDICT_ILLEGAL"}`, false},
		{legal + `, "status": "OK", "response": {}`, false},
		{legal + `, "status": "FAILED_PRECONDITION", "reasons": [` + reason + `}]`, false},
		{refused + `, "reasons": [` + reason + `}]`, true},
		{refused + `, "reasons": [` + reason + `, "message": "column 4 is full"}]`, true},
		{refused + `, "reasons": [` + reason + `, "message": "column 5 is full"}]`, false},
		{refused + `, "reasons": [` + reason + `}, ` + reason + `}]`, false},
		{refused + `, "reasons": [{"code": "ERROR_REASON_GAME_OVER", "field": "move.notation", "clause": "C4-2"}]`, false},
		{refused + `, "reasons": [` + reason + `}], "move_index": 0`, false},
		{full + `, "status": "INVALID_ARGUMENT", "reasons": [{"code": "ERROR_REASON_COLUMN_FULL", "field": "move.notation"}]`, false},
		{full + `, "status": "OK", "response": {}`, false},
		{game + `, "response": {"state": {"notation": "c4:7x6x4:"}}, "ignore": ["seed"]`, true},
		{game + `, "response": {"state": {"notation": "c4:7x6x4:"}}`, false},
		{game + `, "response": {"state": {"notation": "c4:7x6x4:"}, "seed": "1"}, "ignore": ["state.connect_four"]`, false},
		{`"rpc": "Evaluate", "request": [], "status": "OK", "response": []`, true},
		{`"rpc": "Evaluate", "request": [], "status": "OK", "response": [{}]`, false},
	} {
		cases, errs := readFile(fmt.Appendf(nil, `{"about": "x", "cases": [{"name": "x", %s}]}`, example.text))
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		messages, err := send(t.Context(), client, cases[0])
		answer, err := readAnswer(cases[0], messages, err)
		if err == nil {
			err = answer.check(cases[0].wanted)
		}
		if (err == nil) != example.right {
			t.Errorf("%s\nshould be right: %t, but is: %v", example.text, example.right, err)
		}
	}
}

func TestARefusalWithoutWhatItPromisesIsAFailure(t *testing.T) {
	cases, _ := readFile([]byte(`{"about": "x", "cases": [{"name": "x", "rpc": "ListGames", "request": {},
		"status": "UNIMPLEMENTED", "reasons": [{"code": "ERROR_REASON_CALL_NOT_AVAILABLE"}]}]}`))
	if _, err := readAnswer(cases[0], []proto.Message{}, status.Error(codes.Unimplemented, "no")); err == nil {
		t.Error("a status without details is taken for a refusal")
	}
}
