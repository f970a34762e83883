package wire

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

var inheritedVariables = []string{
	"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LANG", "LC_*", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "OS", "PATH", "PATHEXT",
	"PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "TZ",
	"USERNAME", "USERPROFILE", "WINDIR",
}

// variableKey ignores case, as Windows does.
func variableKey(name string) string { return strings.ToUpper(name) }

// processGroup is a job object: every descendant belongs to it, and all end when its handle closes.
type processGroup struct {
	job windows.Handle
	id  uint32
}

// groupAttributes starts the process suspended, so that it is in the job before it can start others, and apart from our console's
// Ctrl-C.
func groupAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP}
}

func newProcessGroup(leader *os.Process) (*processGroup, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("create job object: %w", err)
	}
	if err := enter(job, uint32(leader.Pid)); err != nil {
		windows.CloseHandle(job)
		return nil, err
	}
	return &processGroup{job: job, id: uint32(leader.Pid)}, nil
}

func enter(job windows.Handle, pid uint32) error {
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))); err != nil {
		return fmt.Errorf("limit job object: %w", err)
	}
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, pid)
	if err != nil {
		return fmt.Errorf("open process: %w", err)
	}
	defer windows.CloseHandle(process)
	if err := windows.AssignProcessToJobObject(job, process); err != nil {
		return fmt.Errorf("assign to job object: %w", err)
	}
	return resume(pid)
}

// resume starts the only thread of a suspended process. The handle that CreateProcess gave for it is not ours to have.
func resume(pid uint32) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return fmt.Errorf("list threads: %w", err)
	}
	defer windows.CloseHandle(snapshot)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(snapshot, &entry); err == nil; err = windows.Thread32Next(snapshot, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return fmt.Errorf("open thread: %w", err)
		}
		defer windows.CloseHandle(thread)
		_, err = windows.ResumeThread(thread)
		return err
	}
	return fmt.Errorf("no thread of the process found: %w", err)
}

// terminate sends Ctrl-Break, the nearest thing to SIGTERM; it reaches processes that share our console.
func (g *processGroup) terminate() {
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, g.id)
}

func (g *processGroup) kill() { _ = windows.TerminateJobObject(g.job, 1) }

// jobAccounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION of the Windows API.
type jobAccounting struct {
	TotalUserTime, TotalKernelTime, ThisPeriodTotalUserTime, ThisPeriodTotalKernelTime int64
	TotalPageFaultCount, TotalProcesses, ActiveProcesses, TotalTerminatedProcesses     uint32
}

func (g *processGroup) empty() bool {
	const basicAccounting = 1
	var info jobAccounting
	err := windows.QueryInformationJobObject(g.job, basicAccounting, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	return err == nil && info.ActiveProcesses == 0
}

// release closes the job; whatever should still live ends with it.
func (g *processGroup) release() { windows.CloseHandle(g.job) }

func endingSignal(*os.ProcessState) (int, bool) { return 0, false }

func wrongFormat(err error) bool { return errors.Is(err, windows.ERROR_BAD_EXE_FORMAT) }
