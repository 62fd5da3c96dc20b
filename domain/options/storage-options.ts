import { bucketNameProblem, bucketNameRule, storageClasses } from '../bucket/bucket-rules.ts'
import { filenameProblem, filenameRule, pathProblem, pathRule } from '../bucket/object-name.ts'
import { storageKeyProblem, storageKeyRule } from '../bucket/storage-key.ts'
import type { Option, Options } from './option.ts'

const boolean = { type: 'boolean' } as const

/** Where the files of a job are copied to. */
export const storageOptions = {
  store: {
    shape: boolean,
    default: false,
    about: "Copy the files to the account's S3 bucket.",
    mcp: 'Also copy the files to the bucket that the user has set for this account.',
    flags: [
      ['import transcribe', '--store', 'copy it to the bucket of the account'],
      ['batch', '--store', 'copy the files to the bucket of the account'],
    ],
    form: { label: 'Copy to my bucket', shown: { isMore: true } },
  },
  storageKey: {
    shape: { type: 'checked', problem: storageKeyProblem, rule: storageKeyRule },
    about:
      'A template of the key in the bucket, below the pathPrefix, instead of `storagePath` and `storageFilename`. Names: `uploader`, `title`, `id`, `extractor`, `date`, `year`, `month`, `day`, `playlist`, `index`, `jobId`, `ext`, `metadata.KEY`. With `playlist`, `index`, `jobId` or metadata in it, no earlier job is reused.',
    example: '{uploader}/{date}/{title}.{ext}',
    flags: [
      ['import transcribe batch', '--storage-key <template>', 'with --store: the key, as {uploader}/{title}.{ext}'],
    ],
    form: {
      label: 'Key in the bucket',
      look: 'wide',
      placeholder: '{uploader}/{date}/{title}.{ext}',
      shown: { needs: 'store', isMore: true },
    },
  },
  storagePath: {
    shape: { type: 'checked', problem: (path) => pathProblem(path), rule: pathRule() },
    about: 'The folder in the bucket, below the pathPrefix.',
    example: 'films/2026',
    form: { label: 'Folder', placeholder: 'films/2026', shown: { needs: 'store', isMore: true } },
  },
  storageBucket: {
    shape: { type: 'checked', problem: bucketNameProblem, rule: bucketNameRule },
    about: 'A different bucket at the same endpoint, with the same keys.',
  },
  storageClass: {
    shape: { type: 'choice', values: storageClasses },
    about: 'Overrides the storageClass of PUT /storage.',
  },
  storageReturnLocation: {
    shape: boolean,
    default: true,
    about: 'Set to false to get a mediaUrl on this service and an s3Storage without a url.',
  },
} as const satisfies Options

/** Only a single job has it: items of a batch would overwrite each other's files. */
export const storageFilename = {
  shape: { type: 'checked', problem: filenameProblem, rule: filenameRule },
  about: 'The filename without its extension, which is added. At most 240 bytes. Defaults to the title.',
  form: { label: 'Filename', placeholder: 'the title', shown: { from: 'url', needs: 'store', isMore: true } },
} as const satisfies Option
