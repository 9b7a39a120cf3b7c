// Types of Vite's imports: addresses of files (`?url`) and of many files (`import.meta.glob`).
/// <reference types="vite/client" />
