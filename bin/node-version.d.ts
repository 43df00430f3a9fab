export declare const wanted: string;
export declare function nodeProblem(version: string): string | undefined;
export declare function refuseOldNode(): void;
