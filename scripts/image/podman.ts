import { randomUUID } from 'node:crypto'

/** Podman on Debian 12 needs these: crun fails on its cgroups, and the default limits are above those of many hosts. */
const podmanOptions = ['--runtime', 'runc', '--cgroup-manager', 'cgroupfs']
/** Without `unmask`, a process in a user namespace may not mount /proc, which the sandbox needs. */
const runOptions = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096', '--security-opt', 'unmask=ALL']

/** Variables of this machine's file system, of which the image has its own. */
const ownVariables = ['HOME', 'PATH', 'TMPDIR', 'WORK_DIR', 'HAUL_PYTHON', 'NODE_COMPILE_CACHE', 'NODE_EXTRA_CA_CERTS']

/** Runs an image in this machine's network. Other users see podman's arguments, so values are in its environment. */
export const runImage = (image: string, env: NodeJS.ProcessEnv, name = `haul-${randomUUID()}`) => {
  const variables = Object.keys(env).filter((each) => !ownVariables.includes(each))
  const passed = variables.flatMap((each) => ['--env', each])
  return {
    command: 'podman',
    args: [
      ...[...podmanOptions, 'run', '--rm', '--replace', '--name', name, '--network', 'host', ...runOptions],
      ...[...passed, image],
    ],
    /** Sends a signal to the container's process. One for podman itself would leave the container running. */
    signalArgs: (signal: NodeJS.Signals) => [...podmanOptions, 'kill', '--signal', signal, name],
  }
}
