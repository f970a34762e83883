package lexical

import (
	"regexp"
	"strconv"
	"time"
)

// The parts of a timestamp: a date (calendar, ordinal or week) and, after "T" or the blank that RFC 3339 section 5.6 lets stand for it, a
// time with an optional fraction of its last part and an optional zone.
var timestampPattern = regexp.MustCompile(
	`^(?:(\d{4})(?:-(\d\d)-(\d\d)|(\d\d)(\d\d)|-?(\d{3})|-?W(\d\d)(?:-?([1-7]))?))` +
		`(?:[T ](\d\d)(?::(\d\d)(?::(\d\d))?|(\d\d)(\d\d)?)?(?:[.,]\d+)?(Z|[+-]\d\d(?::?\d\d(?::?\d\d)?)?)?)?$`)

// Timestamp reports whether s is an ISO 8601 date or date with time. Dates are calendar, ordinal or week dates, basic or extended; a
// year or a month alone is no timestamp. A leap second and 24:00 as the end of a day are times. Upper case is asked for.
func Timestamp(s string) bool {
	m := timestampPattern.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	year := number(m[1])
	if year == 0 {
		return false
	}
	switch {
	case m[2] != "" && !calendarDay(year, number(m[2]), number(m[3])),
		m[4] != "" && !calendarDay(year, number(m[4]), number(m[5])),
		m[6] != "" && (number(m[6]) == 0 || number(m[6]) > daysIn(year)),
		m[7] != "" && (number(m[7]) == 0 || number(m[7]) > weeksIn(year)):
		return false
	}
	return clock(number(m[9]), number(m[10])+number(m[12]), number(m[11])+number(m[13])) && zone(m[14])
}

func calendarDay(year, month, day int) bool {
	return month >= 1 && month <= 12 && day >= 1 && day <= time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

func daysIn(year int) int { return time.Date(year, time.December, 31, 0, 0, 0, 0, time.UTC).YearDay() }

// weeksIn is the number of ISO weeks of a year; 28 December always lies in the last one.
func weeksIn(year int) int {
	_, week := time.Date(year, time.December, 28, 0, 0, 0, 0, time.UTC).ISOWeek()
	return week
}

func clock(hour, minute, second int) bool {
	return hour <= 23 && minute <= 59 && second <= 60 || hour == 24 && minute == 0 && second == 0
}

// zone checks "", "Z" and an offset below a day.
func zone(s string) bool {
	if len(s) < 3 {
		return true
	}
	if number(s[1:3]) > 23 {
		return false
	}
	for _, part := range zoneParts.FindAllString(s[3:], -1) {
		if number(part) > 59 {
			return false
		}
	}
	return true
}

var zoneParts = regexp.MustCompile(`\d\d`)

// number reads digits that a pattern has found; none are 0.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}
