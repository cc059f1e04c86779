// What a hosting platform asks of Ishtirak, and the events that it gets. For Go 1.18 or later. What the errors
// mean stands in docs/integrate.md.

package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

func sign(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// Allowance is what Ishtirak answers: a no is an answer, and no error.
type Allowance struct {
	Allowed   bool    `json:"allowed"`
	Limit     int64   `json:"limit"`
	Used      int64   `json:"used"`
	Remaining int64   `json:"remaining"`
	ResetsAt  *string `json:"resets_at"`
	Reason    *string `json:"reason"`
}

// ErrUnavailable: billing does not say, and nothing is known about the user. What was decided beforehand applies to
// errors.Is(err, ErrUnavailable) alone.
var ErrUnavailable = errors.New("billing is unavailable")

// ErrMisconfigured: the key or the call is wrong. Never what was decided for outages.
var ErrMisconfigured = errors.New("billing is misconfigured")

var client = &http.Client{Timeout: 2 * time.Second}

// Billing is where Ishtirak is, and one of its PLATFORM_API_KEYS.
type Billing struct{ URL, APIKey string }

// Consume asks whether the user may. Sent again with the same operation ID it counts once.
func (billing Billing) Consume(userID, limit, operationID string) (*Allowance, error) {
	var allowance *Allowance
	path := "/limits/" + url.PathEscape(limit) + "/consume"
	err := billing.post(userID, path, map[string]string{"operation_id": operationID}, &allowance)
	if err == nil && allowance == nil {
		err = ErrUnavailable
	}
	return allowance, err
}

// PortalLink leads into the portal, once: send the user there at once.
type PortalLink struct {
	URL       string    `json:"url"`
	ExpiresAt time.Time `json:"expires_at"`
}

// OpenPortal makes a link into the portal for the user.
func (billing Billing) OpenPortal(userID string) (*PortalLink, error) {
	var link *PortalLink
	err := billing.post(userID, "/portal-sessions", map[string]string{}, &link)
	if err == nil && link == nil {
		err = ErrUnavailable
	}
	return link, err
}

// Its errors are ErrUnavailable and ErrMisconfigured.
func (billing Billing) post(userID, path string, body map[string]string, answer any) error {
	address := billing.URL + "/api/v1/platform/users/" + url.PathEscape(userID) + path
	text, _ := json.Marshal(body)
	request, err := http.NewRequest(http.MethodPost, address, bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("%w: %v", ErrMisconfigured, err)
	}
	request.Header.Set("Authorization", "Bearer "+billing.APIKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrUnavailable, err)
	}
	defer response.Body.Close()
	if status := response.StatusCode; status != http.StatusOK && status != http.StatusCreated {
		kind := ErrUnavailable
		if status >= 400 && status < 500 && status != http.StatusRequestTimeout && status != http.StatusTooManyRequests {
			kind = ErrMisconfigured
		}
		return fmt.Errorf("%w: it answered %d", kind, status)
	}
	if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
		return fmt.Errorf("%w: %v", ErrUnavailable, err)
	}
	return nil
}

// Event is what all events have; Data depends on Type.
type Event struct {
	Type      string          `json:"type"`
	Timestamp time.Time       `json:"timestamp"`
	Data      json.RawMessage `json:"data"`
}

// VerifyEvent reads the event of this raw body, if one of the secrets (whsec_…) signed it. now is time.Now().
func VerifyEvent(body []byte, headers http.Header, secrets []string, now time.Time) (*Event, error) {
	id, sentAt := headers.Get("webhook-id"), headers.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(sentAt, 10, 64)
	if err != nil || now.Unix()-seconds > 300 || seconds-now.Unix() > 300 {
		return nil, errors.New("not of these five minutes")
	}
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) == 0 {
			continue
		}
		expected := "v1," + base64.StdEncoding.EncodeToString(sign(key, id+"."+sentAt+"."+string(body)))
		for _, signature := range strings.Split(headers.Get("webhook-signature"), " ") {
			if hmac.Equal([]byte(expected), []byte(signature)) {
				var event Event
				return &event, json.Unmarshal(body, &event)
			}
		}
	}
	return nil, errors.New("not signed with a known secret")
}
