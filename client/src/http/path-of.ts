/** An id is one segment of a path, whatever characters it has. */
export const pathOf = (collection: 'jobs' | 'batches' | 'uploads', id: string): string =>
  `/${collection}/${encodeURIComponent(id)}`
