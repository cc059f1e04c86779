// A user in a table: the name, address or id that leads to their page, and the address below the name.
import { plainName } from '../core/name.js'
import { addressOf, type ConsolePages, Under } from './console-frame.js'

interface Named {
  readonly userId: string | null
  readonly name?: string | null
  readonly email?: string | null
}

export function UserCell({ pages, user }: { pages: ConsolePages; user: Named }) {
  const { userId, name = null, email = null } = user
  if (userId === null) return ''
  return (
    <>
      <a href={addressOf(pages.base, 'users', userId)}>
        <bdi safe>{plainName(name ?? email ?? userId)}</bdi>
      </a>
      <Under>{name === null || email === null ? null : plainName(email)}</Under>
    </>
  )
}
