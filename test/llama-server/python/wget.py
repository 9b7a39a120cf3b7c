"""Replaces the package wget: downloads are files that the harness has written."""

import shutil

from local_downloads import downloaded


def download(url, out):
    shutil.copyfile(downloaded(url), out)
