import { expect, test } from 'vitest'
import { titleOfUpload } from '../../../../domain/uploads/upload.ts'

test.each([
  ['interview.mp3', 'interview'],
  ['My talk.final.m4a', 'My talk.final'],
  ['no extension', 'no extension'],
  ['.hidden', '.hidden'],
  ['C:\\Users\\me\\film.mov', 'film'],
  ['folder/film.mov', 'film'],
  ['folder/', 'folder/'],
  ['.mp3.mp3', '.mp3'],
])('the title of the upload %s is %s', (filename, title) => {
  expect(titleOfUpload({ filename })).toBe(title)
})
