/** As the index has said last. */
export interface IndexSize {
  bytes: number
  passages: number
  /** It takes nothing more. */
  isFull: boolean
}

/** What the account knows of the index of its words. */
export interface SearchState extends IndexSize {
  /** Nothing is to be found, and the index is empty. */
  isOff: boolean
  /** It was turned off, and the index still has words. */
  isToEmpty: boolean
  /** The id of the job up to which earlier words have been brought back. null: they are not being brought back. */
  rebuiltTo: string | null
}

export const emptyIndex: IndexSize = { bytes: 0, passages: 0, isFull: false }

export const emptySearch: SearchState = { ...emptyIndex, isOff: false, isToEmpty: false, rebuiltTo: null }
