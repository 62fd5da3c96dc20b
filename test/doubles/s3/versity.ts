import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AwsClient } from 'aws4fetch'
import { freePort } from '../../support/loopback.ts'
import { ensureVersity } from './ensure-versity.mjs'

/** versitygw, an independent S3 server, with its own folder. It checks signatures, payload hashes and checksums. */
export interface Versity {
  endpoint: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  makeBucket(name: string): Promise<void>
  /** Keys of multipart uploads that are neither completed nor aborted. */
  unfinishedUploads(bucket: string): Promise<string[]>
  /** The object as another S3 client reads it. */
  get(bucket: string, key: string): Promise<Response>
  close(): Promise<void>
}

const KEYS = { accessKeyId: 'haul-test', secretAccessKey: 'a secret/of+tests=0123456789' }
const REGION = 'us-east-1'

/** `virtualDomain` adds `https://bucket.domain/key` addressing; path style stays. */
export const startVersity = async ({ virtualDomain }: { virtualDomain?: string } = {}): Promise<Versity> => {
  const binary = await ensureVersity()
  const folder = await mkdtemp(join(tmpdir(), 'haul-versity-'))
  const { child, endpoint } = await launch(binary, folder, virtualDomain)
  const aws = new AwsClient({ ...KEYS, region: REGION, service: 's3', retries: 0 })
  const request = async (path: string, method = 'GET'): Promise<Response> => {
    const response = await aws.fetch(`${endpoint}/${path}`, { method })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response
  }

  return {
    ...KEYS,
    endpoint,
    region: REGION,
    makeBucket: async (name) => {
      await request(name, 'PUT')
    },
    unfinishedUploads: async (bucket) => {
      const text = await (await request(`${bucket}?uploads=`)).text()
      return [...text.matchAll(/<Upload>.*?<Key>(.*?)<\/Key>/gs)].map((match) => match[1] ?? '')
    },
    get: (bucket, key) => request(`${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`),
    close: async () => {
      await stop(child)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** versitygw cannot report a port that it chose itself, so a lost race for a free port is retried. */
const launch = async (binary: string, folder: string, virtualDomain?: string) => {
  for (let attempt = 0; attempt < 5; attempt++) {
    const port = await freePort()
    const endpoint = `http://127.0.0.1:${port}`
    const domain = virtualDomain ? ['--virtual-domain', virtualDomain] : []
    const listen = ['--quiet', '--port', `127.0.0.1:${port}`, '--health', '/health']
    const child = spawn(binary, [...listen, ...domain, 'posix', folder], {
      env: { ROOT_ACCESS_KEY: KEYS.accessKeyId, ROOT_SECRET_KEY: KEYS.secretAccessKey },
      stdio: 'ignore',
    })
    if (await isHealthy(child, endpoint)) return { child, endpoint }
    await stop(child)
  }
  throw new Error('versitygw did not start')
}

const isHealthy = async (child: ChildProcess, endpoint: string): Promise<boolean> => {
  for (let tries = 0; tries < 200 && child.exitCode === null; tries++) {
    const response = await fetch(`${endpoint}/health`).catch(() => null)
    if (response?.ok) return true
    await sleep(50)
  }
  return false
}

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
