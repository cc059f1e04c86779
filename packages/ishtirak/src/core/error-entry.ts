// One refusal: its HTTP status, and what it says in three languages.
import type { Translated } from './locale.js'

export interface ErrorEntry {
  readonly status: number
  readonly title: Translated
  readonly detail: Translated
}

export const entry = (status: number, title: Translated, detail: Translated): ErrorEntry => ({
  status,
  title,
  detail,
})
