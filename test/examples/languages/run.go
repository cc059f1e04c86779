// Calls what docs/go.md shows: `consume URL KEY USER LIMIT OPERATION`, `openPortal URL KEY USER`, or `verify NOW SECRET…`
// with {headers, body} on standard input.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"time"
)

func main() {
	command, arguments := os.Args[1], os.Args[2:]
	var result any
	var err error
	switch command {
	case "consume":
		billing := Billing{arguments[0], arguments[1]}
		result, err = billing.Consume(arguments[2], arguments[3], arguments[4])
	case "openPortal":
		billing := Billing{arguments[0], arguments[1]}
		result, err = billing.OpenPortal(arguments[2])
	default:
		var given struct {
			Headers map[string]string
			Body    string
		}
		if err = json.NewDecoder(os.Stdin).Decode(&given); err != nil {
			break
		}
		headers := http.Header{}
		for name, value := range given.Headers {
			headers.Set(name, value)
		}
		seconds, _ := strconv.ParseInt(arguments[0], 10, 64)
		result, err = VerifyEvent([]byte(given.Body), headers, arguments[1:], time.Unix(seconds, 0))
	}
	switch {
	case errors.Is(err, ErrMisconfigured):
		fmt.Printf("misconfigured: %v", err)
	case errors.Is(err, ErrUnavailable):
		fmt.Printf("unavailable: %v", err)
	case err != nil:
		fmt.Printf("invalid: %v", err)
	}
	if err != nil {
		return
	}
	text, _ := json.Marshal(result)
	fmt.Print(string(text))
}
