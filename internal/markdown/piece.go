// Package markdown keeps the reading of Markdown from strangers linear. The parser needs time that grows with the square of the brackets
// and emphasis marks in one block and of the depth of nested quotations; texts made to exploit that are cut into pieces that are read one by one.
package markdown

import "strings"

// Limits of one block, far above what honest texts hold.
const (
	maxBrackets = 200
	maxMarks    = 1000 // * and _
	maxNesting  = 40   // markers of quotations and lists at the head of a line
)

// Piece returns how much of the beginning of text, in bytes, to read at once: all of it when it is at most max bytes long and no block
// holds too much markup; otherwise up to a blank line if there is one to cut at. It is 0 for an empty text only.
func Piece(text string, max int) int {
	if len(text) > max {
		text = text[:cut(text, max)]
	}
	brackets, marks, blank := 0, 0, 0
	for start := 0; start < len(text); {
		end := start + strings.IndexByte(text[start:], '\n') + 1
		if end == start {
			end = len(text)
		}
		line := text[start:end]
		if strings.TrimSpace(line) == "" || beginsItem(line) {
			brackets, marks = 0, 0
			blank = start
		}
		for i := range len(line) {
			switch line[i] {
			case '[', ']':
				brackets++
			case '*', '_':
				marks++
			}
			if brackets > 2*maxBrackets || marks > maxMarks {
				return first(blank, start+i)
			}
		}
		if at := tooNested(line); at > 0 {
			return first(start, at)
		}
		start = end
	}
	return len(text)
}

// cut finds a blank line in the second half before max, or else max.
func cut(text string, max int) int {
	if at := strings.LastIndex(text[:max], "\n\n"); at > max/2 {
		return at + 2
	}
	return max
}

func first(offsets ...int) int {
	for _, o := range offsets {
		if o > 0 {
			return o
		}
	}
	return 1
}

// beginsItem reports whether a line begins an item of a bullet list, which ends the block before.
func beginsItem(line string) bool {
	line = strings.TrimLeft(line, " \t")
	return len(line) > 1 && strings.IndexByte("-+*", line[0]) >= 0 && (line[1] == ' ' || line[1] == '\t')
}

// tooNested returns where in a line the markers of quotations and lists at its head become too many, 0 when they do not.
func tooNested(line string) int {
	n := 0
	for i := range len(line) {
		switch c := line[i]; c {
		case '>':
			n++
		case '-', '+', '*':
			if i+1 == len(line) || line[i+1] != ' ' && line[i+1] != '\t' {
				return 0
			}
			n++
		case ' ', '\t', '.', ')', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		default:
			return 0
		}
		if n > maxNesting {
			return i
		}
	}
	return 0
}
