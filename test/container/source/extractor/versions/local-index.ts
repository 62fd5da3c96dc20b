import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { listenOnLoopback } from '../../../../support/loopback.ts'
import { python } from '../shared-extractor.ts'

/** What is different in a wheel, compared with the yt-dlp that is installed. */
export interface Changes {
  /** Code at the end of files. */
  appended?: Record<string, string>
  /** Further files. */
  files?: Record<string, string>
  /** Nothing but the further files. */
  isSmall?: boolean
  requires?: string[]
}

interface Served {
  filename: string
  sha256: string
}

/** A package index on loopback whose wheels are made from the yt-dlp that is installed. */
export const startIndex = async (folder: string) => {
  const projects = new Map<string, Served[]>()
  const requests: string[] = []
  const server = createServer(async (request, response) => {
    const [, kind, name = ''] = request.url?.split('/') ?? []
    requests.push(request.url ?? '')
    if (kind === 'files') return void response.end(await readFile(join(folder, name)))
    const files = projects.get(name) ?? []
    response.writeHead(files.length > 0 ? 200 : 404, { 'content-type': 'application/vnd.pypi.simple.v1+json' })
    const listed = files.map(({ filename, sha256 }) => ({ filename, url: `/files/${filename}`, hashes: { sha256 } }))
    response.end(JSON.stringify({ meta: { 'api-version': '1.1' }, name, files: listed }))
  })
  const { url, close } = await listenOnLoopback(server)
  projects.set('yt-dlp-ejs', [await makeWheel(folder, 'yt_dlp_ejs', '0.8.0', {})])
  return {
    url: new URL(`${url}/simple`),
    requests,
    close,
    /** `sha256`: what the index states instead of the wheel's digest. */
    publish: async (version: string, changes: Changes = {}, sha256?: string): Promise<void> => {
      const made = await makeWheel(folder, 'yt_dlp', version, changes)
      projects.set('yt-dlp', [...(projects.get('yt-dlp') ?? []), { ...made, ...(sha256 && { sha256 }) }])
    },
  }
}

const makeWheel = async (folder: string, name: string, version: string, changes: Changes): Promise<Served> => {
  const file = join(folder, 'changes.json')
  await writeFile(file, JSON.stringify({ ...changes, package: name, version }))
  const script = join(import.meta.dirname, 'make_wheel.py')
  const { stdout } = await promisify(execFile)(python, ['-B', script, folder, file])
  return JSON.parse(stdout)
}
