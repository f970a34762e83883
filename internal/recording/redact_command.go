package recording

import "strings"

// CommandSecrets returns what a command given by the user must not leak: values of options, variables and headers that are named like
// credentials ("--api-key X", "--token=X", "API_KEY=X", "Authorization: Bearer X"), credentials in URLs, and words that look like keys of
// well-known services.
func CommandSecrets(words []string) []string {
	var secrets []string
	for i, word := range words {
		if i == 0 {
			continue // the program
		}
		secrets = append(secrets, URLSecrets(word)...)
		if secretPrefix().MatchString(word) {
			secrets = append(secrets, word)
			continue
		}
		name, value, joined := strings.Cut(word, "=")
		if header, text, ok := strings.Cut(word, ":"); ok && !strings.Contains(header, "=") {
			name, value, joined = header, strings.TrimSpace(text), !strings.HasPrefix(text, "//")
		}
		option := strings.TrimLeft(name, "-")
		if !joined {
			if option == name || i+1 == len(words) || strings.HasPrefix(words[i+1], "-") {
				continue
			}
			value = words[i+1]
		}
		if value != "" && (parameter{text: option + "=" + value, name: option, value: value}).masked() {
			secrets = append(secrets, value)
		}
	}
	return secrets
}
