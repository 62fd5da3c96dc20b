import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Docker's command (WRANGLER_DOCKER_BIN), which builds and pushes nothing. */
export interface FakeDocker {
  command: string
  /** The arguments of each call, in order, without `info` and `image inspect`. */
  calls(): Promise<string[]>
  /** Makes `docker build` fail. */
  breakBuilds(): Promise<void>
  close(): Promise<void>
}

export const createDocker = async (): Promise<FakeDocker> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-docker-command-'))
  const [command, log, broken] = ['docker', 'calls', 'broken'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const script = `#!/bin/sh
case "$1 $2" in
  "image inspect") echo linux/amd64; exit ;;
  info*) exit ;;
  build*) [ ! -e ${broken} ] || exit 1 ;;
  login*) cat > /dev/null ;;
esac
echo "$*" >> ${log}
`
  await writeFile(command, script, { mode: 0o755 })
  return {
    command,
    calls: async () => (await readFile(log, 'utf8').catch(() => '')).split('\n').filter(Boolean),
    breakBuilds: () => writeFile(broken, ''),
    close: () => rm(folder, { recursive: true, force: true }),
  }
}
