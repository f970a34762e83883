//go:build linux

// Command measure runs a command and writes what it took as one line of JSON: wall time, the CPU time of the command's own process, that of
// its children (of an audit over stdio: the server), and the most memory that the process held.
//
//	measure [-n REPEATS] [-o FILE] COMMAND [ARG...]
//
// The CPU time of the process alone is read from the process clock of the kernel after the process has ended and before it is reaped: what
// wait4 reports includes children. The memory is the high-water mark VmHWM, read every few milliseconds while the process lives, because
// the maximum that wait4 reports is that of the largest child too.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Sample is one run.
type Sample struct {
	Wall     float64 `json:"wall_ms"`
	Self     float64 `json:"cpu_ms"`          // user and system time of the process
	Children float64 `json:"children_cpu_ms"` // the same of children that it waited for, and theirs
	Peak     float64 `json:"peak_mib"`
	Exit     int     `json:"exit"`
}

// Result is the median of every member over all runs.
type Result struct {
	Sample
	Runs    int       `json:"runs"`
	MinSelf float64   `json:"cpu_ms_min"`
	Walls   []float64 `json:"walls_ms"`
}

func main() {
	n := flag.Int("n", 1, "how often to run the command")
	out := flag.String("o", "", "`file` for the result, instead of standard error")
	stdout := flag.String("stdout", "", "`file` for the command's standard output, instead of nowhere")
	flag.Parse()
	if flag.NArg() == 0 || *n < 1 {
		flag.Usage()
		os.Exit(2)
	}
	var samples []Sample
	for range *n {
		s, err := run(flag.Args(), *stdout)
		if err != nil {
			fmt.Fprintln(os.Stderr, "measure:", err)
			os.Exit(2)
		}
		samples = append(samples, s)
	}
	text, err := json.Marshal(summary(samples))
	if err == nil && *out != "" {
		err = os.WriteFile(*out, append(text, '\n'), 0o644)
	} else if err == nil {
		fmt.Fprintf(os.Stderr, "%s\n", text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(2)
	}
}

func run(words []string, stdout string) (Sample, error) {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stderr = os.Stderr
	if stdout != "" {
		file, err := os.Create(stdout)
		if err != nil {
			return Sample{}, err
		}
		defer file.Close()
		cmd.Stdout = file
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return Sample{}, err
	}
	pid := cmd.Process.Pid
	ended := make(chan struct{})
	peak := make(chan float64)
	go func() { peak <- watch(pid, ended) }()
	// The process stays a zombie, so that its clock can still be read.
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err == nil {
			break
		}
		if err != unix.EINTR {
			return Sample{}, err
		}
	}
	s := Sample{Wall: ms(time.Since(began))}
	var own unix.Timespec
	if err := unix.ClockGettime(processClock(pid), &own); err != nil {
		return Sample{}, err
	}
	s.Self = ms(time.Duration(own.Nano()))
	close(ended)
	s.Peak = <-peak
	_ = cmd.Wait() // its exit status is a result, not an error
	s.Exit = cmd.ProcessState.ExitCode()
	s.Children = max(0, ms(cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())-s.Self)
	return s, nil
}

// processClock is the id of the clock that counts the CPU time of all threads of a process, as clock_getcpuclockid(3) makes it.
func processClock(pid int) int32 { return int32(^pid<<3 | 2) }

// watch reads the high-water mark of a process's resident memory until the process has ended.
func watch(pid int, ended <-chan struct{}) float64 {
	peak := 0.0
	for {
		if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)); err == nil {
			if _, rest, found := bytes.Cut(status, []byte("VmHWM:")); found {
				line, _, _ := bytes.Cut(rest, []byte(" kB"))
				if kib, err := strconv.Atoi(string(bytes.TrimSpace(line))); err == nil {
					peak = max(peak, float64(kib)/1024)
				}
			}
		}
		select {
		case <-ended:
			return peak
		case <-time.After(4 * time.Millisecond):
		}
	}
}

func summary(samples []Sample) Result {
	median := func(of func(Sample) float64) float64 {
		var all []float64
		for _, s := range samples {
			all = append(all, of(s))
		}
		slices.Sort(all)
		return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
	}
	r := Result{Runs: len(samples), MinSelf: samples[0].Self}
	r.Wall = median(func(s Sample) float64 { return s.Wall })
	r.Self = median(func(s Sample) float64 { return s.Self })
	r.Children = median(func(s Sample) float64 { return s.Children })
	r.Peak = median(func(s Sample) float64 { return s.Peak })
	for _, s := range samples {
		r.MinSelf = min(r.MinSelf, s.Self)
		r.Walls = append(r.Walls, s.Wall)
		r.Exit = max(r.Exit, s.Exit)
	}
	return r
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
