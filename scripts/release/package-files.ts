import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'

export interface PackedFile {
  path: string
  name: string
  sizeBytes: number
  digest: (algorithm: 'sha256' | 'sha512', encoding: 'hex' | 'base64') => string
}

export const packedFile = async (path: string): Promise<PackedFile> => {
  const bytes = await readFile(path)
  return {
    path,
    name: basename(path),
    sizeBytes: bytes.length,
    digest: (algorithm, encoding) => createHash(algorithm).update(bytes).digest(encoding),
  }
}

export interface FileRule {
  required: string[]
  allowed: RegExp
  maxFiles: number
  maxBytes: number
}

export const problemsOfFiles = (
  names: string[],
  { name, sizeBytes }: { name: string; sizeBytes: number },
  rule: FileRule,
) =>
  [
    ...rule.required.filter((each) => !names.includes(each)).map((each) => `${name} has no ${each}.`),
    ...names
      .filter((each) => !rule.allowed.test(each))
      .map((each) => `${name} has ${each}, which does not belong in it.`),
    names.length > rule.maxFiles && `${name} has ${names.length} files, and may have ${rule.maxFiles}.`,
    sizeBytes > rule.maxBytes && `${name} has ${sizeBytes} bytes, and may have ${rule.maxBytes}.`,
  ].filter((problem) => problem !== false)

/** Licences that let a program with another one use the package. */
const permissive = ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'MPL-2.0', 'PSF-2.0', '0BSD']

export const problemsOfLicences = (packages: { name: string; license: string }[]): string[] =>
  packages
    .filter(({ license }) => !license.split(/ (?:AND|OR) /).every((each) => permissive.includes(each)))
    .map(({ name, license }) => `${name}, which is installed with the package, has the licence "${license}".`)
