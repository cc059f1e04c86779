export declare const INSERT_SELLER: string
export declare function insertReceipts(rows: string): string
