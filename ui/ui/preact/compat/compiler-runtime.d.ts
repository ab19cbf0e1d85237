export function c(size: number): any[];
