export type LawName = string;
