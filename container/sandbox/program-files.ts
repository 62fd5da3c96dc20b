import { existsSync } from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The files and folders outside of /usr that a program consists of. A child that runs it may read them. */

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Node, to run the scripts of extractors. */
export const nodeFiles = [process.execPath]

/** Node and the code of this container. node_modules may be a link to a folder elsewhere. */
export const containerFiles = [
  ...nodeFiles,
  ...['container', 'domain', 'node_modules', 'package.json'].map((name) => join(root, name)),
]

const ffmpegFolder = join(root, '.tools/ffmpeg')
const hasOwnFfmpeg = existsSync(join(ffmpegFolder, 'ffprobe'))

/** FFmpeg as scripts/ffmpeg.mjs installs it, or the system's. */
export const ffmpegProgram = (name: 'ffmpeg' | 'ffprobe'): string => (hasOwnFfmpeg ? join(ffmpegFolder, name) : name)
export const ffmpegFiles = hasOwnFfmpeg ? [ffmpegFolder] : []

/** The certificates that this system trusts, in one file: what OpenSSL's own variable names, or the system's. */
export const certificateFile = (): string | null =>
  [process.env.SSL_CERT_FILE, ...bundles].find((path) => path && existsSync(path)) ?? null

const bundles = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/cert.pem']

/** What programs that check certificates may read. */
export const certificates = (): string[] => {
  const file = certificateFile()
  const folders = ['/etc/ssl/certs', '/etc/ssl/openssl.cnf', '/etc/ssl/cert.pem', '/etc/pki', '/etc/ca-certificates']
  return [...new Set([...folders, file ?? ''])].filter(existsSync)
}

/** A Python interpreter. For that of a venv, the venv and the installation that it extends. */
export const pythonFiles = async (python: string): Promise<string[]> => {
  const venv = dirname(dirname(python))
  const settings = await readFile(join(venv, 'pyvenv.cfg'), 'utf8').catch(() => '')
  // The folder of the interpreter that the venv extends.
  const home = /^home *=(.*)$/m.exec(settings)?.[1]?.trim()
  const interpreter = await realpath(python).catch(() => python)
  const programs = [home ?? '', dirname(interpreter)].filter((folder) => basename(folder) === 'bin')
  return [...new Set([home ? venv : python, ...programs.map((folder) => dirname(folder))])].filter(existsSync)
}
