/** A seccomp filter (classic BPF): it refuses calls that our programs do not need but exploits and escapes do. */

/** [x86_64, aarch64]; null where the architecture has no such call. */
type CallNumbers = readonly [number, number | null]

const refused = {
  // Other processes and their memory.
  ...{ ptrace: [101, 117], process_vm_readv: [310, 270], process_vm_writev: [311, 271], kcmp: [312, 272] },
  ...{ process_madvise: [440, 440], pidfd_getfd: [438, 438] },
  // Namespaces and mounts.
  ...{ unshare: [272, 97], setns: [308, 268], mount: [165, 40], umount2: [166, 39], pivot_root: [155, 41] },
  ...{ chroot: [161, 51], move_mount: [429, 429], open_tree: [428, 428], fsopen: [430, 430], fsconfig: [431, 431] },
  ...{ fsmount: [432, 432], fspick: [433, 433], mount_setattr: [442, 442] },
  ...{ name_to_handle_at: [303, 264], open_by_handle_at: [304, 265] },
  // Large parts of the kernel that are rarely needed and often exploited.
  ...{ bpf: [321, 280], perf_event_open: [298, 241], userfaultfd: [323, 282], fanotify_init: [300, 262] },
  ...{ io_uring_setup: [425, 425], io_uring_enter: [426, 426], io_uring_register: [427, 427] },
  ...{ add_key: [248, 217], request_key: [249, 218], keyctl: [250, 219], vmsplice: [278, 75] },
  ...{ modify_ldt: [154, null], uselib: [134, null], personality: [135, 92], lookup_dcookie: [212, 18] },
  // Memory and queues that no resource limit counts.
  ...{ memfd_create: [319, 279], memfd_secret: [447, 447], shmget: [29, 194], shmat: [30, 196], shmctl: [31, 195] },
  ...{ semget: [64, 190], semop: [65, 193], semctl: [66, 191], semtimedop: [220, 192], mq_open: [240, 180] },
  ...{ msgget: [68, 186], msgsnd: [69, 189], msgrcv: [70, 188], msgctl: [71, 187] },
  // The machine.
  ...{ kexec_load: [246, 104], kexec_file_load: [320, 294], init_module: [175, 105], finit_module: [313, 273] },
  ...{ delete_module: [176, 106], swapon: [167, 224], swapoff: [168, 225], reboot: [169, 142], acct: [163, 89] },
  ...{ quotactl: [179, 60], quotactl_fd: [443, 443], syslog: [103, 116], vhangup: [153, 58] },
  ...{ settimeofday: [164, 170], clock_settime: [227, 112], clock_adjtime: [305, 266], adjtimex: [159, 171] },
  ...{ sethostname: [170, 161], setdomainname: [171, 162], iopl: [172, null], ioperm: [173, null] },
} as const satisfies Record<string, CallNumbers>

const clone = [56, 220] as const
const clone3 = [435, 435] as const
const socket = [41, 198] as const
const ioctl = [16, 29] as const

/** linux/audit.h */
const architectures = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const
/** linux/sched.h: CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const NAMESPACE_FLAGS = 0x7e02_0000
/** AF_UNIX, AF_INET and AF_INET6. The others, such as AF_NETLINK, AF_PACKET and AF_VSOCK, are not needed. */
const SOCKET_FAMILIES = [1, 2, 10]
/** Both write to the input of a terminal: TIOCSTI and TIOCLINUX. */
const TERMINAL_REQUESTS = [0x5412, 0x541c]
/** x32 calls have other numbers than the ones above. */
const X32_BIT = 0x4000_0000

const errno = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 } as const
const answer = { allow: 0x7fff_0000, kill: 0x8000_0000, error: (number: number) => 0x0005_0000 | number }
/** Offsets in struct seccomp_data. The arguments have 64 bits, of which the first 32 are the low ones. */
const at = { call: 0, architecture: 4, firstArgument: 16, secondArgument: 24 }

/** linux/filter.h. A jump skips `yes` or `no` instructions. */
type Instruction = readonly [code: number, yes: number, no: number, k: number]
const load = (offset: number): Instruction => [0x20, 0, 0, offset]
const ifEqual = (k: number, yes: number, no: number): Instruction => [0x15, yes, no, k]
const ifAtLeast = (k: number, yes: number, no: number): Instruction => [0x35, yes, no, k]
const ifAnyBit = (k: number, yes: number, no: number): Instruction => [0x45, yes, no, k]
const end = (value: number): Instruction => [0x06, 0, 0, value]

/** With these, the template of yt-dlp confines its forks, which have the filter without exceptions. */
const toConfineForks = new Set(['unshare', 'setns', 'mount'])

/** Null on an architecture whose call numbers are not listed here. */
export const syscallFilter = ({ architecture = process.arch as string, confinesForks = false } = {}) => {
  if (architecture !== 'x64' && architecture !== 'arm64') return null
  const column = architecture === 'x64' ? 0 : 1
  const eperm = end(answer.error(errno.EPERM))
  const allow = end(answer.allow)
  /** Instructions for one call, skipped for others. They load an argument, so each of them must end. */
  const onCall = (numbers: CallNumbers, body: Instruction[]): Instruction[] => [
    ifEqual(numbers[column] ?? -1, 0, body.length),
    ...body,
  ]
  return encode([
    load(at.architecture),
    ifEqual(architectures[architecture], 1, 0),
    end(answer.kill),
    load(at.call),
    ...(architecture === 'x64' ? [ifAtLeast(X32_BIT, 0, 1), end(answer.kill)] : []),
    // Its flags are in memory, which a filter cannot read. The C library then uses clone.
    ...onCall(clone3, [end(answer.error(errno.ENOSYS))]),
    ...onCall(clone, [load(at.firstArgument), ifAnyBit(NAMESPACE_FLAGS, 0, 1), eperm, allow]),
    ...onCall(socket, [
      load(at.firstArgument),
      ...SOCKET_FAMILIES.flatMap((family) => [ifEqual(family, 0, 1), allow]),
      end(answer.error(errno.EAFNOSUPPORT)),
    ]),
    ...onCall(ioctl, [
      load(at.secondArgument),
      ...TERMINAL_REQUESTS.flatMap((request) => [ifEqual(request, 0, 1), eperm]),
      allow,
    ]),
    ...Object.entries<CallNumbers>(refused)
      .filter(([name, numbers]) => numbers[column] !== null && !(confinesForks && toConfineForks.has(name)))
      .flatMap(([, numbers]) => onCall(numbers, [eperm])),
    allow,
  ])
}

/** struct sock_filter: a 16-bit code, two 8-bit jumps and a 32-bit operand. Both architectures are little-endian. */
const encode = (instructions: Instruction[]): Uint8Array => {
  const words = instructions.flatMap(([code, yes, no, k]) => [code | (yes << 16) | (no << 24), k])
  return new Uint8Array(Uint32Array.from(words).buffer)
}
