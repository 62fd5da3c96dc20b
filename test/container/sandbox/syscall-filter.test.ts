import { expect, test } from 'vitest'
import { syscallFilter } from '../../../container/sandbox/launch/syscall-filter.ts'

const architectures = { x64: 0xc000_003e, arm64: 0xc000_00b7 }
type Architecture = keyof typeof architectures

interface Call {
  number: number
  architecture?: number
  args?: readonly (number | undefined)[]
}

/** Runs the program as the kernel does: linux/filter.h and struct seccomp_data. */
const answerTo = (on: Architecture, { number, architecture = architectures[on], args = [] }: Call): string => {
  const program = Buffer.from(syscallFilter({ architecture: on }) ?? [])
  const data = new Map([
    [0, number],
    [4, architecture],
    [16, args[0] ?? 0],
    [24, args[1] ?? 0],
  ])
  let loaded = 0
  for (let at = 0; at < program.length / 8; at++) {
    const [code, yes, no] = [program.readUInt16LE(at * 8), program[at * 8 + 2] ?? 0, program[at * 8 + 3] ?? 0]
    const k = program.readUInt32LE(at * 8 + 4)
    const jump = (condition: boolean) => {
      at += condition ? yes : no
    }
    if (code === 0x20) loaded = data.get(k) ?? 0
    else if (code === 0x15) jump(loaded === k)
    else if (code === 0x35) jump(loaded >= k)
    else if (code === 0x45) jump((loaded & k) !== 0)
    else return nameOf(k)
  }
  throw new Error('the program has no end')
}

const nameOf = (answer: number): string => {
  if (answer === 0x7fff_0000) return 'allowed'
  return answer === 0x8000_0000 ? 'killed' : `error ${answer & 0xffff}`
}

const [EPERM, ENOSYS, EAFNOSUPPORT] = ['error 1', 'error 38', 'error 97']

/** asm/unistd.h of both architectures. */
const numbers = {
  read: { x64: 0, arm64: 63 },
  mmap: { x64: 9, arm64: 222 },
  execve: { x64: 59, arm64: 221 },
  setresuid: { x64: 117, arm64: 147 },
  prlimit64: { x64: 302, arm64: 261 },
  futex: { x64: 202, arm64: 98 },
  ptrace: { x64: 101, arm64: 117 },
  mount: { x64: 165, arm64: 40 },
  unshare: { x64: 272, arm64: 97 },
  setns: { x64: 308, arm64: 268 },
  bpf: { x64: 321, arm64: 280 },
  open_by_handle_at: { x64: 304, arm64: 265 },
  keyctl: { x64: 250, arm64: 219 },
  reboot: { x64: 169, arm64: 142 },
  init_module: { x64: 175, arm64: 105 },
  clone: { x64: 56, arm64: 220 },
  clone3: { x64: 435, arm64: 435 },
  socket: { x64: 41, arm64: 198 },
  ioctl: { x64: 16, arm64: 29 },
}

const allowed = ['read', 'mmap', 'execve', 'setresuid', 'prlimit64', 'futex'] as const
const refused = [
  ...(['ptrace', 'mount', 'unshare', 'setns', 'bpf', 'open_by_handle_at'] as const),
  ...(['keyctl', 'reboot', 'init_module'] as const),
] as const

test.each(['x64', 'arm64'] as const)('on %s, usual calls are allowed and dangerous ones are refused', (on) => {
  for (const name of allowed) expect([name, answerTo(on, { number: numbers[name][on] })]).toEqual([name, 'allowed'])
  for (const name of refused) expect([name, answerTo(on, { number: numbers[name][on] })]).toEqual([name, EPERM])
})

const SIGCHLD = 17
test.each([
  ['clone', 'a process', [SIGCHLD], 'allowed'],
  ['clone', 'a thread', [0x003d_0f00], 'allowed'],
  ['clone', 'a user namespace', [0x1000_0000 | SIGCHLD], EPERM],
  ['clone', 'a mount namespace', [0x0002_0000 | SIGCHLD], EPERM],
  ['clone', 'a network namespace', [0x4000_0000 | SIGCHLD], EPERM],
  ['clone3', 'any flags', [], ENOSYS],
  ['socket', 'AF_UNIX', [1], 'allowed'],
  ['socket', 'AF_INET', [2], 'allowed'],
  ['socket', 'AF_INET6', [10], 'allowed'],
  ['socket', 'AF_NETLINK', [16], EAFNOSUPPORT],
  ['socket', 'AF_PACKET', [17], EAFNOSUPPORT],
  ['socket', 'AF_ALG', [38], EAFNOSUPPORT],
  ['ioctl', 'TCGETS', [0, 0x5401], 'allowed'],
  ['ioctl', 'TIOCSTI', [0, 0x5412], EPERM],
] as const)('%s with %s', (name, _, args: readonly number[], expected) => {
  for (const on of ['x64', 'arm64'] as const) {
    expect(answerTo(on, { number: numbers[name][on], args })).toBe(expected)
  }
})

test('calls of another architecture end the process', () => {
  // A 32-bit program on x86_64: AUDIT_ARCH_I386. Its call 26 is ptrace.
  expect(answerTo('x64', { number: 26, architecture: 0x4000_0003 })).toBe('killed')
  expect(answerTo('arm64', { number: 0, architecture: architectures.x64 })).toBe('killed')
  // x32: read, and the number of ptrace there.
  expect(answerTo('x64', { number: 0x4000_0000 })).toBe('killed')
  expect(answerTo('x64', { number: 0x4000_0209 })).toBe('killed')
})

test('an architecture whose call numbers are not known has no filter', () => {
  expect(syscallFilter({ architecture: 'riscv64' })).toBeNull()
})
