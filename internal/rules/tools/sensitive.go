package tools

import (
	"regexp"
	"strings"
)

// sensitiveTerms are the words, joined by underscores, that name a credential or personal data, and what they name. The first that
// occurs counts.
var sensitiveTerms = []struct{ term, category string }{
	{"api_key", "API key"}, {"api_token", "API token"}, {"access_token", "access token"}, {"auth_token", "authentication token"},
	{"authentication_token", "authentication token"}, {"authorization", "authorization credential"}, {"bearer_token", "bearer token"},
	{"client_secret", "client secret"}, {"credential", "credential"}, {"credentials", "credential"}, {"password", "password"},
	{"passwd", "password"}, {"passphrase", "passphrase"}, {"private_key", "private key"}, {"refresh_token", "refresh token"},
	{"secret", "secret"}, {"token", "token"}, {"card_number", "payment card number"}, {"credit_card", "payment card number"},
	{"cvc", "card verification code"}, {"cvv", "card verification code"}, {"date_of_birth", "date of birth"}, {"dob", "date of birth"},
	{"driver_license", "driver license number"}, {"email", "email address"}, {"email_address", "email address"},
	{"national_id", "national identifier"}, {"passport_number", "passport number"}, {"pii", "personally identifiable information"},
	{"phone", "phone number"}, {"phone_number", "phone number"}, {"social_security_number", "social security number"},
	{"ssn", "social security number"},
}

// harmlessTokens are counters and page marks: where one occurs, the word token alone says nothing.
var harmlessTokens = map[string]bool{
	"continuation_token": true, "cursor_token": true, "max_token": true, "max_tokens": true, "page_token": true, "pagination_token": true,
	"token_count": true, "token_limit": true,
}

// vague are words that prose uses in many senses. In a title or a description they count when nothing else is said.
var vague = map[string]bool{
	"authorization": true, "credential": true, "credentials": true, "email": true, "phone": true, "secret": true, "token": true,
}

var singular = map[string]string{
	"credentials": "credential", "keys": "key", "passphrases": "passphrase", "passwords": "password", "secrets": "secret", "tokens": "token",
}

// sensitiveName judges the name of a parameter or a header.
func sensitiveName(name string) string {
	terms, whole := termsOf(name)
	for _, t := range sensitiveTerms {
		if terms[t.term] && (t.term != "email" && t.term != "phone" || whole == t.term || strings.HasSuffix(whole, "_"+t.term)) {
			return t.category
		}
	}
	return ""
}

// sensitiveProse judges a title or a description.
func sensitiveProse(text string) string {
	terms, whole := termsOf(text)
	for _, t := range sensitiveTerms {
		if terms[t.term] && !vague[t.term] || whole == t.term {
			return t.category
		}
	}
	return ""
}

var (
	afterLower = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	afterUpper = regexp.MustCompile(`([A-Z])([A-Z][a-z])`)
	wordRuns   = regexp.MustCompile(`[a-z0-9]+`)
)

// termsOf returns the words of a text and every run of two and three of them, joined by underscores, and all of them joined.
func termsOf(text string) (terms map[string]bool, whole string) {
	text = afterLower.ReplaceAllString(text, "$1 $2")
	text = afterUpper.ReplaceAllString(text, "$1 $2")
	words := wordRuns.FindAllString(strings.ToLower(text), -1)
	for i, w := range words {
		if s, ok := singular[w]; ok {
			words[i] = s
		}
	}
	terms = map[string]bool{}
	harmless := false
	for i := range words {
		for n := 1; n <= 3 && i+n <= len(words); n++ {
			term := strings.Join(words[i:i+n], "_")
			if harmlessTokens[term] {
				harmless = true
				continue
			}
			terms[term] = true
		}
	}
	if harmless {
		delete(terms, "token")
	}
	return terms, strings.Join(words, "_")
}
