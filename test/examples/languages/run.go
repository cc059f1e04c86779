// Calls what docs/integrate.md shows: `token SECRET USER`, `consume URL KEY USER LIMIT OPERATION`, or `verify NOW SECRET…` with
// {headers, body} on standard input.
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
	case "token":
		fmt.Print(UserToken(arguments[0], arguments[1]))
		return
	case "consume":
		result, err = Consume(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4])
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
		fmt.Printf("refused: %v", err)
	}
	if err != nil {
		return
	}
	text, _ := json.Marshal(result)
	fmt.Print(string(text))
}
