// The documents that invoice.system looks at in Arabic are looked at in the other languages.
import { describeDocuments } from '../../../../test/support/printed-documents.js'

describeDocuments('fr')
describeDocuments('en')
