package report

import "github.com/mcp-hallmark/hallmark/internal/recording"

// remedies say what a person can do about each class of failure.
var remedies = map[recording.Class]string{
	recording.FailInvalidTarget:   "Give the server's URL with its scheme (https://host/path), or a command after --stdio.",
	recording.FailUsage:           "Correct the command line as the detail says; --help shows every flag.",
	recording.FailDNS:             "Check the spelling of the host name, and whether this machine can resolve it.",
	recording.FailRefused:         "Start the server, and check host and port: nothing listens there.",
	recording.FailUnreachable:     "Check the network between this machine and the server: route, firewall, VPN and proxy settings.",
	recording.FailTLS:             "Repair the server's certificate, or name the authority that signed it with --cacert.",
	recording.FailTimeout:         "Check whether the server is up and busy; a slow server may need a larger time-out.",
	recording.FailDeadline:        "Allow the audit more time in total, or find out why the server answers so slowly.",
	recording.FailInterrupted:     "Run the audit again and let it finish.",
	recording.FailUnauthorized:    "Give credentials: --token TOKEN, or --header 'Name: value'. If you did, they were refused.",
	recording.FailForbidden:       "Check what the credentials may do, and whether a firewall or bot protection stands in front of the server.",
	recording.FailPayment:         "The server wants payment first; audit it with an account that has paid.",
	recording.FailRateLimited:     "Wait and run the audit again, or have this machine exempted from the server's rate limit.",
	recording.FailServerError:     "Look into the server's own log: it, or a gateway in front of it, answered with an internal error.",
	recording.FailHTTP:            "Check the path of the URL: something answers there, though not as an MCP endpoint does.",
	recording.FailRedirected:      "Audit the address that the redirect names, if you trust it.",
	recording.FailHTML:            "Check the path of the URL: a web page answers there. MCP endpoints often end in /mcp or /sse.",
	recording.FailNotJSON:         "Check that the registry's address in the client configuration is right: what it answers is no package metadata.",
	recording.FailNotMCP:          "Check that the target is an MCP server and that the URL is its endpoint, often /mcp or /sse.",
	recording.FailNoAnswer:        "Look into the server's log: it took the request and ended the answer early.",
	recording.FailReset:           "Look into the log of the server, or of the gateway in front of it: the connection was cut.",
	recording.FailTooLarge:        "Have the server send less in one message, in pages for instance.",
	recording.FailEncoded:         "Have the server, or the gateway in front of it, send plain bodies when no content coding was offered.",
	recording.FailBlocked:         "Have the server publish addresses that are reachable from outside: the one it names is private.",
	recording.FailCommandNotFound: "Install the program, or give its full path: no such command was found.",
	recording.FailNotExecutable:   "Make the file executable, or name the interpreter that runs it (node server.js, python server.py).",
	recording.FailExited:          "Run the command by hand: it ended before it answered, and the end of its error output says why.",
	recording.FailSilent:          "Check that the command speaks MCP on its standard output, and that no argument or variable is missing.",
	recording.FailNotReading:      "Check that the command reads MCP messages from its standard input.",
	recording.FailVersion:         "Update the server: it shares no protocol revision with this program.",
	recording.FailRPC:             "Read the server's error: it refused the handshake. A variable or an argument may be missing.",
	recording.FailSessionLost:     "Check whether several instances serve the address without sharing sessions.",
	recording.FailInternal:        "This is a fault of this program. Please report it with the recording, if you may share that.",
}

// registryRemedies are those that differ when a package registry was asked in place of a server.
var registryRemedies = map[recording.Class]string{
	recording.FailRefused:      "Check the registry's address in the configuration of npm, pip or uv: nothing listens there.",
	recording.FailTLS:          "Name the authority that signed the registry's certificate with --cacert.",
	recording.FailTimeout:      "Run the audit again, or allow more time with --request-timeout.",
	recording.FailUnauthorized: "The registry wants credentials: put them into the configuration of npm or into the address of the index.",
	recording.FailForbidden:    "Check what the credentials of the registry may do.",
	recording.FailRateLimited:  "Wait and run the audit again.",
	recording.FailServerError:  "Run the audit again later: the registry answered with an internal error.",
	recording.FailHTTP:         "Check the registry's address in the configuration of npm, pip or uv: what answers there has no package metadata.",
	recording.FailRedirected:   "Configure the address that the redirect names, if you trust it.",
	recording.FailHTML:         "Check the registry's address in the configuration of npm, pip or uv: a web page answers there.",
	recording.FailTooLarge:     "Name an exact version, whose own document is small.",
}

// remedy says what can be done about a failure.
func remedy(f *recording.Failure) string {
	if text, ok := registryRemedies[f.Class]; ok && f.Phase == "registry" {
		return text
	}
	return remedies[f.Class]
}
