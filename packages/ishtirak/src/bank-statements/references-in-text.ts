// References of transfers in the free text of a bank statement: as they were meant, split by spaces and
// hyphens, inside other words, and wrong by one symbol. Pure.
import { foldReference, isReference, REFERENCE_LENGTH } from '../core/reference.js'

const SEPARATORS = /[\s\-\u0640.,_/\u00b7:;|*#()'"+]+/
/** A reference is written in groups of three symbols or more; shorter ones are words beside it. */
const GROUP_MIN = 3

/** The words of a text in the letters of references. */
function groupsIn(text: string): readonly string[] {
  return foldReference(text)
    .split(SEPARATORS)
    .filter((group) => group !== '')
}

/** Finds references that stand by themselves, with a right check symbol. There may be no such transfer. */
export function wholeReferencesIn(text: string): readonly string[] {
  const groups = groupsIn(text)
  const found = new Set<string>()
  for (const index of groups.keys()) {
    let joined = ''
    for (const group of groups.slice(index)) {
      joined += group
      if (group.length < GROUP_MIN || joined.length >= REFERENCE_LENGTH) break
    }
    if (isReference(joined)) found.add(joined)
  }
  return [...found]
}

/** Finds references wherever they stand: by themselves, inside a word and across words. */
export function referencesInside(text: string): readonly string[] {
  const joined = groupsIn(text).join('')
  const found = new Set<string>()
  for (let start = 0; start + REFERENCE_LENGTH <= joined.length; start++) {
    const part = joined.slice(start, start + REFERENCE_LENGTH)
    if (isReference(part)) found.add(part)
  }
  return [...found]
}

/** Symbols by which a reference is looked up: few references of many thousands share that many. */
const KEY_LENGTH = REFERENCE_LENGTH / 2

/** If a reference is written with one error, at least one of its keys is still right. */
function keysOf(reference: string): readonly (readonly [key: string, place: number])[] {
  const [first, second] = [reference.slice(0, KEY_LENGTH), reference.slice(KEY_LENGTH)]
  return [
    [first, 0],
    [second, KEY_LENGTH],
    [first.slice(0, -1) + second.charAt(0), 0],
  ]
}

/** Finds those that a text may mean with one symbol wrong, missing or too many, or two swapped. */
export function nearReferences(references: Iterable<string>): (text: string) => readonly string[] {
  const byKey = new Map<string, { readonly reference: string; readonly place: number }[]>()
  for (const reference of references)
    for (const [key, place] of keysOf(reference)) {
      const known = byKey.get(key)
      if (known) known.push({ reference, place })
      else byKey.set(key, [{ reference, place }])
    }
  return (text) => {
    const joined = groupsIn(text).join('')
    const found = new Set<string>()
    for (let start = 0; start + KEY_LENGTH <= joined.length; start++)
      for (const { reference, place } of byKey.get(joined.slice(start, start + KEY_LENGTH)) ?? [])
        if (!found.has(reference) && isNearAt(joined, start - place, reference)) found.add(reference)
    return [...found]
  }
}

/** The shift of the beginning and the change of length that one error can cause. */
const SPANS = [
  [0, 0],
  [0, -1],
  [1, -1],
  [0, 1],
  [-1, 1],
] as const

function isNearAt(text: string, start: number, reference: string): boolean {
  return SPANS.some(([shift, more]) => {
    const from = start + shift
    const part = text.slice(Math.max(0, from), Math.max(0, from + REFERENCE_LENGTH + more))
    return part.length === REFERENCE_LENGTH + more && part !== reference && isOneErrorFrom(part, reference)
  })
}

function isOneErrorFrom(part: string, reference: string): boolean {
  let same = 0
  while (part[same] !== undefined && part[same] === reference[same]) same++
  const [one, other] = [part.slice(same), reference.slice(same)]
  if (one.length < other.length) return one === other.slice(1)
  if (one.length > other.length) return one.slice(1) === other
  const isSwapped = one[0] === other[1] && one[1] === other[0] && one.slice(2) === other.slice(2)
  return isSwapped || one.slice(1) === other.slice(1)
}
