import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSidecar } from './sidecar.ts'
import { engineProgram, type Started, startProgram } from './started.ts'

/**
 * The part of Docker's HTTP API that workerd uses for `ctx.container` (workerd, server/container-client.c++), with
 * the container's program as a process on this machine instead of an image. Unlike Docker it never restarts a
 * program that fails: Cloudflare does not either.
 */
export interface Docker {
  /** For miniflare and wrangler: `container_engine`. */
  readonly url: string
  /** Docker's command, for wrangler (WRANGLER_DOCKER_BIN). It builds nothing and succeeds. */
  readonly command: string
  /** The programs of containers that run, in order of their start. Not those of sidecars. */
  readonly programs: Started[]
  /** Of programs so far. */
  readonly starts: number
  /** What a container runs instead of its image: arguments for Node. */
  program: string[]
  /** With this number of running programs, the next container ends at once with the platform's message. */
  maxInstances: number
  close(): Promise<void>
}

/** One container, of either image. */
interface Container {
  name: string
  session: string
  create: CreateRequest
  started: Started | null
  isRefused: boolean
  removed: PromiseWithResolvers<void>
}

interface CreateRequest {
  Image: string
  Env?: string[]
  Labels?: Record<string, string>
  HostConfig: { NetworkMode: string }
}

/** Of workerd, for the image that carries a container's connections. */
const SIDECAR_PORT = '39001/tcp'
const SESSION = 'dev.workerd.session'
const FULL = 'Maximum number of running container instances exceeded'

interface Reply {
  status: number
  body?: object
}

export const startDocker = async (): Promise<Docker> => {
  const containers = new Map<string, Container>()
  const folder = await mkdtemp(join(tmpdir(), 'docker-'))
  const [socket, command] = [join(folder, 'docker.sock'), join(folder, 'docker')]
  // The Dockerfile of a build is its input.
  await writeFile(command, '#!/bin/sh\n[ "$1" != build ] || cat > /dev/null\n', { mode: 0o755 })
  const isSidecar = ({ create }: Container) => create.HostConfig.NetworkMode === 'bridge'
  const running = () => [...containers.values()].filter(({ started }) => started?.exitCode === null)
  let starts = 0
  const docker: Docker = {
    url: `unix://${socket}`,
    command,
    get programs() {
      return running().flatMap((each) => (isSidecar(each) ? [] : (each.started ?? [])))
    },
    get starts() {
      return starts
    },
    program: engineProgram,
    maxInstances: Number.POSITIVE_INFINITY,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await Promise.all(running().map(({ started }) => started?.kill('SIGKILL')))
      await rm(folder, { recursive: true, force: true })
    },
  }

  const start = async (container: Container): Promise<Reply> => {
    if (container.started?.exitCode === null) return { status: 304 }
    const behind = () => [...containers.values()].find(sharesNetworkOf(container.name))?.started?.port ?? null
    const env = Object.fromEntries((container.create.Env ?? []).map((line) => line.split(/=(.*)/s)))
    if (isSidecar(container)) {
      container.started = await startSidecar(behind)
    } else if (docker.programs.length >= docker.maxInstances) {
      // Cloudflare accepts the start and then ends the container with this message, which `monitor()` rejects with.
      container.isRefused = true
    } else {
      container.started = await startProgram(docker.program, env)
      starts += 1
    }
    return { status: 204 }
  }
  const sharesNetworkOf =
    (name: string) =>
    ({ create }: Container): boolean =>
      create.HostConfig.NetworkMode === `container:${name}`

  const inspect = ({ name, create, started }: Container): Reply => {
    const Status = !started ? 'created' : started.exitCode === null ? 'running' : 'exited'
    const HostPort = started?.port ? [{ HostIp: '127.0.0.1', HostPort: `${started.port}` }] : []
    const NetworkSettings = { Ports: { [SIDECAR_PORT]: HostPort } }
    return { status: 200, body: { Id: name, State: { Status }, NetworkSettings, Config: { Image: create.Image } } }
  }

  const wait = async ({ started, isRefused, removed }: Container, condition: string | null): Promise<Reply> => {
    if (condition === 'removed') await removed.promise
    if (isRefused) return { status: 500, body: { message: FULL } }
    return { status: 200, body: { StatusCode: (await started?.exited) ?? 0 } }
  }

  const remove = async (container: Container): Promise<Reply> => {
    await container.started?.kill('SIGKILL')
    containers.delete(container.name)
    container.removed.resolve()
    return { status: 204 }
  }

  const list = (filters: string | null): Reply => {
    const labels: string[] = JSON.parse(filters ?? '{}').label ?? []
    const found = [...containers.values()].filter(({ session }) => labels.includes(`${SESSION}=${session}`))
    return { status: 200, body: found.map(({ name }) => ({ Id: name, Names: [`/${name}`] })) }
  }

  const answer = async (request: IncomingMessage): Promise<Reply> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://docker')
    const call = `${request.method} ${pathname.replace(/^\/containers\/(?!create$|json$)[^/]+/, '/containers/:name')}`
    if (call === 'POST /containers/create') {
      const name = searchParams.get('name') ?? ''
      if (containers.has(name)) return { status: 409, body: { message: 'the name is in use' } }
      const create: CreateRequest = JSON.parse(Buffer.concat(await request.toArray()).toString())
      const session = create.Labels?.[SESSION] ?? ''
      containers.set(name, { name, session, create, started: null, isRefused: false, removed: Promise.withResolvers() })
      return { status: 201, body: { Id: name, Warnings: [] } }
    }
    if (call === 'GET /containers/json') return list(searchParams.get('filters'))
    if (call === 'GET /networks/bridge') {
      return { status: 200, body: { IPAM: { Config: [{ Subnet: '127.0.0.0/8', Gateway: '127.0.0.1' }] } } }
    }
    if (call === 'GET /volumes') return { status: 200, body: { Volumes: [] } }
    const container = containers.get(pathname.split('/')[2] ?? '')
    if (!container) return { status: 404, body: { message: 'no such container' } }
    switch (call) {
      case 'POST /containers/:name/start':
        return start(container)
      case 'GET /containers/:name/json':
        return inspect(container)
      case 'POST /containers/:name/wait':
        return wait(container, searchParams.get('condition'))
      case 'POST /containers/:name/kill': {
        if (container.started?.exitCode !== null) return { status: 409, body: { message: 'it is not running' } }
        void container.started.kill(searchParams.get('signal') as NodeJS.Signals)
        return { status: 204 }
      }
      case 'DELETE /containers/:name':
        return remove(container)
      default:
        return { status: 501, body: { message: `${call} is not part of this double` } }
    }
  }

  const server = createServer((request, response) => {
    answer(request)
      .catch((cause): Reply => ({ status: 500, body: { message: `${cause}` } }))
      .then(({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(body ? JSON.stringify(body) : '')
      })
  })
  const listening = Promise.withResolvers<void>()
  server.listen(socket, () => listening.resolve())
  await listening.promise
  return docker
}
