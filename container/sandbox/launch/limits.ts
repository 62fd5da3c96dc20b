import { availableParallelism } from 'node:os'

/** Resource limits of a child process. The kernel ends a child that exceeds one, or refuses it the resource. */
export type Limits = typeof defaultLimits

export const defaultLimits = {
  addressSpaceBytes: 2 * 1024 ** 3,
  cpuSeconds: 600,
  fileSizeBytes: 64 * 1024 ** 3,
  openFiles: 256,
  // Threads count too. ffmpeg and the speech engine start some for each core.
  processes: 64 + 4 * availableParallelism(),
}

/** When memory runs out, the kernel ends a child before the container's own process. 0 is usual, 1000 the first to go. */
export const OOM_SCORE = 800
/** Lower than the container's own process, which must keep answering while children are busy. */
export const NICENESS = 10

/** Prefixes of a command. Each program execs the next, so the process id stays the same. */
export const endedFirst = ['choom', '-n', String(OOM_SCORE), '--']
export const withLowPriority = [...endedFirst, 'nice', '-n', String(NICENESS)]

/** Keyed by the names of setrlimit(2). */
export type KernelLimits = Partial<ReturnType<typeof kernelLimits>>

export const kernelLimits = (limits: Limits) => ({
  AS: limits.addressSpaceBytes,
  CPU: limits.cpuSeconds,
  FSIZE: limits.fileSizeBytes,
  NOFILE: limits.openFiles,
  NPROC: limits.processes,
  CORE: 0,
})

export const withLimits = (limits: KernelLimits): string[] => [
  'prlimit',
  ...Object.entries(limits).map(([name, most]) => `--${name.toLowerCase()}=${most}`),
  '--',
]
