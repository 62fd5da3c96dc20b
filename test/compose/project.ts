import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../scripts/start/environment.ts'

/** Podman on Debian 12: crun fails on its cgroups, the default limits are above those of many hosts, and names of
 * services need netavark. */
const CONTAINERS_CONF = `[containers]
default_ulimits = ["nofile=4096:4096","nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
[network]
network_backend = "netavark"
`

const GATEWAY = '10.213.77.1'
const ORIGIN_PORT = 8700

const overrides = `services:
  haul:
    environment:
      ALLOW_PRIVATE_HOSTS: ${GATEWAY}:${ORIGIN_PORT}
  engine:
    environment:
      ALLOW_PRIVATE_HOSTS: ${GATEWAY}:${ORIGIN_PORT}
networks:
  inside:
    ipam:
      config:
        - subnet: 10.213.77.0/24
          gateway: ${GATEWAY}
`

/** compose.yaml with names, ports and a network of its own. */
export const createProject = async ({ folder, port }: { folder: string; port: number }) => {
  const [conf, override] = [join(folder, 'containers.conf'), join(folder, 'compose.test.yaml')]
  await writeFile(conf, CONTAINERS_CONF)
  await writeFile(override, overrides)
  const name = `haul-test-${process.pid}`
  const options = {
    cwd: root,
    env: { ...process.env, CONTAINERS_CONF: conf, HAUL_LISTEN: `127.0.0.1:${port}` },
    maxBuffer: 64 * 1024 ** 2,
  }
  const files = ['-p', name, '-f', 'compose.yaml', '-f', override]
  const run = async (command: string, args: string[]) => (await promisify(execFile)(command, args, options)).stdout
  return {
    /** This machine, as containers see it. */
    gateway: GATEWAY,
    originPort: ORIGIN_PORT,
    /** The entry in ALLOW_PRIVATE_HOSTS. */
    originHost: `${GATEWAY}:${ORIGIN_PORT}`,
    compose: (...args: string[]) => run('podman-compose', [...files, ...args]),
    /** Runs a command with redirections. */
    shell: (command: string) => run('/bin/sh', ['-c', `podman-compose ${files.join(' ')} ${command}`]),
    /** Removes the containers and the volumes. */
    down: async () => {
      // podman-compose leaves the replicas of --scale.
      const ids = await run('podman', ['ps', '-aq', '--filter', `label=io.podman.compose.project=${name}`])
      const containers = ids.split('\n').filter(Boolean)
      if (containers.length > 0) await run('podman', ['rm', '-f', '--depend', '--ignore', '-t', '5', ...containers])
      await run('podman-compose', [...files, 'down', '-v'])
    },
  }
}
