// For each line {"command", "arguments", "input"} of standard input: calls what docs/go.md shows, `consume URL KEY USER
// LIMIT OPERATION`, `openPortal URL KEY USER`, or `verify NOW SECRET…` with {headers, body}, and prints what came of it
// as a line of JSON.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"
)

type asked struct {
	Command   string
	Arguments []string
	Input     struct {
		Headers map[string]string
		Body    string
	}
}

func (of asked) answer() string {
	var result any
	var err error
	arguments := of.Arguments
	switch of.Command {
	case "consume":
		billing := Billing{arguments[0], arguments[1]}
		result, err = billing.Consume(arguments[2], arguments[3], arguments[4])
	case "openPortal":
		billing := Billing{arguments[0], arguments[1]}
		result, err = billing.OpenPortal(arguments[2])
	default:
		headers := http.Header{}
		for name, value := range of.Input.Headers {
			headers.Set(name, value)
		}
		seconds, _ := strconv.ParseInt(arguments[0], 10, 64)
		result, err = VerifyEvent([]byte(of.Input.Body), headers, arguments[1:], time.Unix(seconds, 0))
	}
	switch {
	case errors.Is(err, ErrMisconfigured):
		return fmt.Sprintf("misconfigured: %v", err)
	case errors.Is(err, ErrUnavailable):
		return fmt.Sprintf("unavailable: %v", err)
	case err != nil:
		return fmt.Sprintf("invalid: %v", err)
	}
	text, _ := json.Marshal(result)
	return string(text)
}

func main() {
	lines := json.NewDecoder(os.Stdin)
	for {
		var of asked
		if err := lines.Decode(&of); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			panic(err)
		}
		text, _ := json.Marshal(of.answer())
		fmt.Println(string(text))
	}
}
