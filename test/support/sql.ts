import { assembled, type Statement } from '../../packages/ishtirak/src/database/database.js'

/** Two tests with the same text share its plan. */
export const sql = (text: string): Statement => assembled('test.made', text)

/** A script that changes documents, which the service never does and the database refuses. */
export const tampering = (change: string): string =>
  `alter table documents disable trigger user; ${change};
   alter table documents enable trigger user`
